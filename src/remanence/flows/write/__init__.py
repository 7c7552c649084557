"""What comes in or is changed: texts, files, the inbox, and memories one at a time."""
