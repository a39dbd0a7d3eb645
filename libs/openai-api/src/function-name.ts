/** What a function, or a schema, may be called. */
export const FUNCTION_NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
