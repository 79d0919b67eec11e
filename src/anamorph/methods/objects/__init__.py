"""What the objects of a scene say about the answers to expect; shared by the methods that count them."""
