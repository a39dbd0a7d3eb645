/** The content codings that replies exist in, the one that saves most first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The coding in which to answer (RFC 9110, section 12.5.3): the one the client weighs most and, among equals, the one that saves most;
 * undefined for none. A client that refuses every coding and the plain reply too gets the plain one, rather than no answer.
 * @param header the request's `Accept-Encoding`; without one the client is taken not to decode
 */
export function codingFor(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const weights = weightsOf(header);
  const others = weights.get('*') ?? 0;
  // Unnamed, the identity is acceptable, but what the client names it asks for.
  let best: { coding?: Coding; weight: number } = { weight: weights.get('identity') ?? 0 };
  for (const coding of [...CODINGS].reverse()) {
    const weight = weights.get(coding) ?? others;
    if (weight > 0 && weight >= best.weight) best = { coding, weight };
  }
  return best.coding;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find(Boolean);
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : Number(weight));
  }
  return weights;
}
