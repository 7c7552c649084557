"""Memories as text files in a folder: written as they change, and read again where somebody edited one."""
