import type { ApiPropertyOptions } from '@nestjs/swagger';

/** How a parameter that is one of these words is described: of a query that is a class, Nest's swagger leaves `enum` out. */
export function oneOfWords(words: readonly string[]): ApiPropertyOptions {
  return { type: 'string', schema: { enum: [...words] } } as ApiPropertyOptions;
}
