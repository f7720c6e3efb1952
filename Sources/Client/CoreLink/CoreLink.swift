// CoreLink
