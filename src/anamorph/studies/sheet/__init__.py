"""Contact sheets: follow-ups beside their sources, for people to look at before a call is paid for."""
