/**
 * Values and names of fields that a request's body may hold, and the arguments of all its calls. Reading takes as long as there are of
 * them, not as the bytes are: 4 MiB of lists inside each other, or of names, keep a process busy for more than half a second, this many for
 * about a tenth of one at the most. 10,000 messages with a call or a part each, beside 400 KiB of tools, stay below.
 */
export const MAX_JSON_PARTS = 250_000;
