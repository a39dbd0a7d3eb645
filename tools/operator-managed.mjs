import { readFileSync } from 'node:fs';
import { fileOfCaller } from './operator-files.mjs';
import { Outcome, refused, unasked } from './operator-outcome.mjs';

/** What {@link managedCommands} take besides what every command does. */
export const managedOptions = {
  ...texts('model', 'endpoint', 'upstream-model', 'payee', 'input-price', 'output-price', 'candidates'),
  ...texts('context', 'max-output', 'concurrency', 'first-token-ms', 'chunk-ms', 'owned-by'),
  ...texts('key-env', 'key-file', 'output-limit-field', 'reasoning-field'),
  'without-key': { type: 'boolean' },
  tools: { type: 'boolean' },
  'structured-outputs': { type: 'boolean' },
};

/** The field that each option sets; a new vendor needs those without a default. */
const words = {
  model: 'model',
  endpoint: 'endpoint',
  'upstream-model': 'upstreamModel',
  payee: 'payee',
  'input-price': 'inputPricePerMtok',
  'output-price': 'outputPricePerMtok',
  'output-limit-field': 'outputLimitField',
  'reasoning-field': 'reasoningField',
};
const numbers = {
  context: 'contextLimit',
  'max-output': 'maxOutputTokens',
  concurrency: 'concurrency',
  'first-token-ms': 'firstTokenTimeoutMs',
  'chunk-ms': 'chunkTimeoutMs',
};
const switches = { tools: 'tools', 'structured-outputs': 'structuredOutputs' };
const defaults = {
  tools: false,
  structuredOutputs: false,
  concurrency: 16,
  firstTokenTimeoutMs: 30_000,
  chunkTimeoutMs: 30_000,
  outputLimitField: 'max_tokens',
  reasoningField: 'none',
};
const needed = Object.entries({ ...words, ...numbers })
  .filter(([, field]) => !Object.hasOwn(defaults, field))
  .map(([option]) => option);
/** As for providers' endpoints. */
const mostKeyChars = 1_024;

/**
 * What commands on vendors and routing models define.
 * @param asked.shown what the catalogue shows of both now
 * @param asked.seal makes a sealed credential of a key, for an owner
 */
export const managedCommands = {
  'managed set': async (mapping, values, { shown, seal }) => {
    const before = shown.managedVendors.find((vendor) => vendor.mapping === mapping);
    return { managedVendors: [await vendorOf(mapping, before, values, seal)] };
  },
  'managed retire': (mapping, _, { shown }) => {
    const before = shown.managedVendors.find((vendor) => vendor.mapping === mapping);
    if (!before) throw new Outcome(`there is no managed vendor ${mapping}`, refused);
    return { managedVendors: [{ ...definitionOf(before), retired: true }] };
  },
  routing: (id, values, { shown }) => {
    const before = shown.routingModels.find((model) => model.id === id);
    return { routingModels: [routingModelOf(id, before, values)] };
  },
};

/** A vendor as it is to be: as it was, where an option does not say otherwise. */
async function vendorOf(mapping, before, values, seal) {
  const known = before ? definitionOf(before) : {};
  const vendor = { ...defaults, ...known, mapping, retired: false, ...fieldsOf(values) };
  const missing = before ? [] : needed.filter((option) => values[option] === undefined);
  if (missing.length > 0) {
    throw new Outcome(`a new vendor needs ${missing.map((option) => `--${option}`).join(', ')}`, unasked);
  }
  const key = readKey(values);
  const isMoved = before?.endpoint !== vendor.endpoint || before.payee !== vendor.payee;
  if (key === undefined && before?.hasCredential && isMoved) {
    throw new Outcome(
      'its key is sealed for the former endpoint and payee: give it again (--key-env, --key-file), or --without-key',
      unasked,
    );
  }
  if (key === undefined) return vendor;
  // An empty one takes the stored one away.
  const credential = key && (await seal({ provider: vendor.payee, endpoint: vendor.endpoint }, key));
  return { ...vendor, credential };
}

/** Without what the catalogue says besides. */
function definitionOf(shown) {
  const definition = { ...shown };
  delete definition.hasCredential;
  delete definition.version;
  return definition;
}

/** A routing model as it is to be. */
function routingModelOf(id, before, values) {
  const definition = {
    ownedBy: 'svc',
    ...before,
    id,
    ...given({
      ownedBy: values['owned-by'],
      candidates: values.candidates?.split(','),
      maxInputPricePerMtok: values['input-price'],
      maxOutputPricePerMtok: values['output-price'],
    }),
  };
  const isWhole =
    definition.candidates && definition.maxInputPricePerMtok && definition.maxOutputPricePerMtok;
  if (isWhole) return definition;
  throw new Outcome('a new routing model needs --candidates, --input-price, --output-price', unasked);
}

function fieldsOf(values) {
  const fields = {};
  for (const [option, field] of Object.entries(words)) fields[field] = values[option];
  for (const [option, field] of Object.entries(switches)) fields[field] = values[option];
  for (const [option, field] of Object.entries(numbers)) {
    if (values[option] === undefined) continue;
    if (!/^\d{1,9}$/.test(values[option])) throw new Outcome(`--${option} must be a whole number`, unasked);
    fields[field] = Number(values[option]);
  }
  return given({ ...fields, payee: values.payee?.toLowerCase() });
}

/** Never from the command line itself, which every process of the machine can read. */
function readKey({ 'key-env': variable, 'key-file': file, 'without-key': without }) {
  const ways = [variable, file, without].filter((way) => way !== undefined);
  if (ways.length > 1)
    throw new Outcome('--key-env, --key-file and --without-key exclude each other', unasked);
  if (without) return '';
  if (variable !== undefined) return checked(process.env[variable] ?? '', `the variable ${variable}`);
  if (file === undefined) return undefined;
  try {
    return checked(readFileSync(fileOfCaller(file), 'utf8').trim(), file);
  } catch (error) {
    throw error instanceof Outcome ? error : new Outcome(`cannot read ${file}: ${error.code}`, unasked);
  }
}

function checked(key, source) {
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= mostKeyChars) return key;
  throw new Outcome(`${source} holds no key: 1 to ${mostKeyChars} printable characters`, unasked);
}

function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function texts(...names) {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
}
