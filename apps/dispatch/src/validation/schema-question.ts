/**
 * Half a question to the schemas' thread: the schema, then the value. The thread reads a value where it takes it up, which may use up its
 * memory: by then the schema has been compiled.
 */
export type SchemaQuestionPart = { schema: string } | { value: unknown };

/** How far the thread is with a question, in memory that outlives it. */
export const Stage = { sent: 0, compiling: 1, compiled: 2 } as const;
