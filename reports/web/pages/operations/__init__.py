"""Operations: work under way, records left out, storage, and what is deleted next."""
