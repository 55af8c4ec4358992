//! What words are: names, towns, drugs, common words, embedded as FSTs.
