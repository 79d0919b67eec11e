"""Settings of the papers, a TOML file each: a comment beside each setting says where its value stands."""
