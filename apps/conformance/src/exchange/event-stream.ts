import { Deviation } from '../deviation';
import type { Exchange } from './exchange';
import { isObject } from './json-object';

const DATA = 'data: ';

/** A stream's chunks as they came (spec 4.1). */
interface StreamReading {
  chunks: Record<string, unknown>[];
  /** The last event is `[DONE]`. */
  done: boolean;
  /** Lines that are neither `data: …`, a comment, nor empty. */
  strayLines: string[];
  /** Data that came after `[DONE]`. */
  afterDone: number;
}

/** @throws Deviation when an event's data is no JSON object */
export function readStream(exchange: Exchange): StreamReading {
  const reading: StreamReading = { chunks: [], done: false, strayLines: [], afterDone: 0 };
  for (const line of exchange.text.split(/\r?\n/)) {
    if (line === '' || line.startsWith(':')) continue;
    if (!line.startsWith(DATA)) {
      reading.strayLines.push(line.slice(0, 80));
      continue;
    }
    if (reading.done) reading.afterDone += 1;
    const data = line.slice(DATA.length);
    if (data === '[DONE]') reading.done = true;
    else reading.chunks.push(chunkOf(data));
  }
  return reading;
}

function chunkOf(data: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new Deviation(`an event's data is not JSON: ${data.slice(0, 80)}`);
  }
  if (isObject(value)) return value;
  throw new Deviation(`an event's data is no object: ${data.slice(0, 80)}`);
}
