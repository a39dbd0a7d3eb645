/**
 * Half a question to the schemas' thread: the schema, then the value. The thread reads a value where it takes it up, which may use up its
 * memory: by then the schema has been compiled.
 */
export type SchemaQuestionPart = { schema: string } | { value: unknown };
