/** Anything that JSON carries. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const STEP = '  ';
const MOST_ON_A_LINE = 76;

interface Notation {
  atom: (value: string | number | boolean | null) => string;
  name: (name: string) => string;
  step: string;
  /** Within the brackets of an object on one line. */
  padding: string;
}

/** As it is written in Python: `True`, `None`, four spaces. */
export function pythonLiteral(value: Json, indent = ''): string {
  return write(value, indent, { atom: pythonAtom, name: pythonString, step: STEP + STEP, padding: '' });
}

/** As it is written in JavaScript: names without quotes where they need none. */
export function scriptLiteral(value: Json, indent = ''): string {
  return write(value, indent, { atom: scriptAtom, name: scriptName, step: STEP, padding: ' ' });
}

function write(value: Json, indent: string, notation: Notation): string {
  if (typeof value !== 'object' || value === null) return notation.atom(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inner = indent + notation.step;
  const parts = (nested: string) =>
    Array.isArray(value)
      ? value.map((item) => write(item, nested, notation))
      : Object.entries(value).map(
          ([name, item]) => `${notation.name(name)}: ${write(item, nested, notation)}`,
        );
  const flat = parts('');
  if (flat.length === 0) return open + close;
  const padding = Array.isArray(value) ? '' : notation.padding;
  const line = open + padding + flat.join(', ') + padding + close;
  if (!line.includes('\n') && indent.length + line.length <= MOST_ON_A_LINE) return line;
  return `${open}\n${parts(inner)
    .map((part) => `${inner}${part},\n`)
    .join('')}${indent}${close}`;
}

function pythonAtom(value: string | number | boolean | null): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? pythonString(value) : String(value);
}

/** JSON's escapes mean the same in Python. */
function pythonString(text: string): string {
  return JSON.stringify(text);
}

function scriptAtom(value: string | number | boolean | null): string {
  return typeof value === 'string' ? scriptString(value) : String(value);
}

function scriptString(text: string): string {
  if (/['\\\n]|[^\x20-\x7e]/.test(text)) return JSON.stringify(text);
  return `'${text}'`;
}

function scriptName(name: string): string {
  // `__proto__: …` in an object literal would set its prototype.
  if (name === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : scriptString(name);
}

/** As one word of a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
