"""Networks from files behind one interface, one file for each runtime."""
