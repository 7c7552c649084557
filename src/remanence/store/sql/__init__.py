"""What every SQL database is asked, in one dialect or another; knows no file and no server."""
