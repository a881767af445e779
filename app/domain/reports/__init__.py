"""Reports as values: sections of facts, tables, prose and pictures, all of it text that is never read as markup."""
