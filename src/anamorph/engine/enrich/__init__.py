"""What scenes gain while they are scanned: objects, amodal masks, colours."""
