import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { compileValidator } from '@svc/validation';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, Node } from 'yaml';
import { CommandError, misuse } from '../command-line/command-error';
import type { FailureCode } from '../command-line/command-error';
import { ProviderDocument } from './provider-file.dto';
import { unknownKey } from './unknown-key';

const validate = compileValidator(ProviderDocument);

/** A provider's file, read and checked; it knows at which line each of its fields stands. */
export class ProviderFile {
  private constructor(
    readonly path: string,
    readonly content: ProviderDocument,
    private readonly lineOf: (path: string) => number | undefined,
  ) {}

  /**
   * @param variables what `${NAME}` in the file's texts is replaced by
   * @throws CommandError (2) that names file, line and path of what does not fit
   */
  static read(path: string, variables: Readonly<Record<string, string | undefined>>): ProviderFile {
    const lines = new LineCounter();
    const document = parsed(path, lines);
    const lineOf = (field: string) => lineAt(document, lines, field);
    const refused = (field: string, message: string) =>
      refusalAt({ file: path, line: lineOf(field), field }, message);
    insertVariables(
      document,
      variables,
      (line, message) => misuse(`${basename(path)}:${line}: ${message}`),
      lines,
    );
    const given = contentOf(document, path);
    const validated = validate(given);
    const stranger = unknownKey(ProviderDocument, given);
    if (stranger !== undefined) throw refused(stranger, 'there is no such key');
    if (!validated.ok) throw refused(validated.problem.path, validated.problem.message);
    const file = new ProviderFile(path, validated.value, lineOf);
    file.checkOffers();
    return file;
  }

  /** A path of the file's, which are relative to it. */
  resolve(path: string): string {
    return resolve(dirname(this.path), path);
  }

  /** A failure that lies in a field of the file: `svc-provider.yaml:12: offers[0].endpoint: …`. */
  refusal(field: string, message: string, exitCode: FailureCode = 2, details: object = {}): CommandError {
    return refusalAt({ file: this.path, line: this.lineOf(field), field }, message, exitCode, details);
  }

  private checkOffers(): void {
    const names = new Set<string>();
    for (const [index, { name, bundle, profile, expires_at, valid_days }] of this.content.offers.entries()) {
      const at = `offers[${index}]`;
      if (names.has(name)) throw this.refusal(`${at}.name`, `there are two offers ${name}`);
      names.add(name);
      this.requireOneForm(`${at}.bundle`, { ...bundle }, ['weights_digest', 'quantisation', 'engine']);
      this.requireOneForm(`${at}.profile`, { ...profile }, ['hardware_class', 'context_limit', 'speed_tier']);
      if (expires_at !== undefined && valid_days !== undefined) {
        throw this.refusal(`${at}.expires_at`, 'expires_at and valid_days exclude each other');
      }
    }
  }

  /** Either `id` alone, or all of the definition. */
  private requireOneForm(path: string, given: Record<string, unknown>, definition: readonly string[]): void {
    const there = definition.filter((key) => given[key] !== undefined);
    if (given.id !== undefined && there[0] !== undefined) {
      throw this.refusal(
        `${path}.${there[0]}`,
        'an id stands for what the catalogue knows; say one or the other',
      );
    }
    if (given.id !== undefined) return;
    const missing = definition.find((key) => given[key] === undefined);
    if (missing !== undefined)
      throw this.refusal(path, `needs an id, or ${definition.join(', ')}: ${missing} is missing`);
  }
}

function parsed(path: string, lineCounter: LineCounter): Document.Parsed {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw misuse(`cannot read ${path}: ${code}`);
    throw misuse(`there is no ${path}: "svc-provider init" writes one, --file names another`);
  }
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw misuse(`${basename(path)}:${lineCounter.linePos(error.pos[0]).line}: ${error.message}`);
  return document;
}

/** Aliases are looked up only now. */
function contentOf(document: Document.Parsed, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw misuse(`${basename(path)}: ${(error as Error).message}`);
  }
}

/** Replaces `${NAME}` in every text; `$${` stands for `${`. */
function insertVariables(
  document: Document.Parsed,
  variables: Readonly<Record<string, string | undefined>>,
  refused: (line: number, message: string) => CommandError,
  lines: LineCounter,
): void {
  visit(document, {
    Scalar: (key, node) => {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replace(/\$?\$\{([^}]*)\}/g, (whole, name: string) => {
        if (whole.startsWith('$$')) return whole.slice(1);
        const value = variables[name];
        const line = lines.linePos(node.range?.[0] ?? 0).line;
        if (value === undefined || value === '') throw refused(line, `the environment has no ${name}`);
        return value;
      });
    },
  });
}

/** The line of a field, or of what is nearest above it. */
function lineAt(document: Document.Parsed, lines: LineCounter, field: string): number | undefined {
  const steps = [...field.matchAll(/[^.[\]]+/g)].map(([step]) => step);
  let node: unknown = document.contents;
  let start = isNode(node) ? startOf(node) : undefined;
  for (const step of steps) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (isNode(pair?.key)) start = startOf(pair.key) ?? start;
      next = pair?.value;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      if (isNode(next)) start = startOf(next) ?? start;
    }
    if (!isNode(next)) break;
    node = next;
  }
  return start === undefined ? undefined : lines.linePos(start).line;
}

function startOf(node: Node): number | undefined {
  return node.range?.[0];
}

/** Where in a file something stands. */
interface Place {
  file: string;
  line: number | undefined;
  field: string;
}

function refusalAt(
  { file, line, field }: Place,
  message: string,
  exitCode: FailureCode = 2,
  details: object = {},
): CommandError {
  const place = line === undefined ? basename(file) : `${basename(file)}:${line}`;
  const subject = field === '' ? '' : ` ${field}:`;
  return new CommandError(`${place}:${subject} ${message}`, exitCode, { path: field, line, ...details });
}
