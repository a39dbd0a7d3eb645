/** The most of one text of an exchange that is kept, bytes. */
export const KEPT_BYTES = 4_096;

const CUT = ' […]';
/** What looks like a bearer token or an API key, also where an endpoint repeats it in an error. */
const CREDENTIALS =
  /\bbearer\s+[\w.~+/=-]{6,}|\b(?:sk|pk|rk|hf|gsk|key|token|svc_live|svc_test)[-_][\w-]{8,}/gi;

/**
 * Makes texts fit to be shown to everybody: without where the endpoint is and what it calls its model, without what may be a credential, storable (no NUL, no
 * lone surrogates), and of at most `KEPT_BYTES`.
 * @param endpoint the URL that is not to be seen, nor its host
 * @param upstreamModel the model's name there
 */
export function publicText(endpoint: string, upstreamModel: string): (text: string) => string {
  const places = placesOf(endpoint);
  const models = modelsOf(upstreamModel);
  return (text) => {
    let shown = Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD');
    for (const place of places) shown = shown.replace(place, '[endpoint]');
    for (const [model, instead] of models) shown = shown.replace(model, instead);
    return cut(shown.replace(CREDENTIALS, '[credential]'));
  };
}

/** The whole URL first, then its parts, as they are and as JSON may escape them. */
function placesOf(endpoint: string): RegExp[] {
  const places = [endpoint];
  if (URL.canParse(endpoint)) {
    const { host, hostname, origin, pathname } = new URL(endpoint);
    // Servers name the path that they do not know, and errors of the network an IPv6 address without its brackets.
    places.push(origin, host, hostname, hostname.replace(/^\[|\]$/g, ''), pathname.replace(/\/+$/, ''));
  }
  return places
    .filter((place) => place.length >= 4)
    .map((place) => new RegExp(escaped(place).replaceAll('/', '\\\\?/'), 'gi'));
}

/** As a field it is masked whatever it is; a name that is hardly one is left in other text. */
function modelsOf(model: string): [RegExp, string][] {
  const name = escaped(JSON.stringify(model).slice(1, -1)).replaceAll('/', '\\\\?/');
  const field = new RegExp(`("(?:model|root|id)"\\s*:\\s*)"${name}"`, 'g');
  const models: [RegExp, string][] = [[field, '$1"[model]"']];
  if (model.length >= 4) models.push([new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'gi'), '[model]']);
  return models;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= KEPT_BYTES) return text;
  const kept = bytes.subarray(0, KEPT_BYTES - Buffer.byteLength(CUT)).toString('utf8');
  // The cut may go through a character.
  return kept.replace(/\uFFFD{1,3}$/, '') + CUT;
}
