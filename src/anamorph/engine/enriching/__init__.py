"""What scenes gain while they are scanned: objects, completed objects, colours."""
