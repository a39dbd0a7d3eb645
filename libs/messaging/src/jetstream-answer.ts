/**
 * Whether JetStream wrote a message: an answer of its API, or an acknowledgement of what was stored. It answers wherever it is asked to, also
 * where whoever asks may not write: into others' inboxes and buckets.
 */
export function isJetStreamAnswer(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { type, stream, seq } = body as Record<string, unknown>;
  if (typeof type === 'string' && type.startsWith('io.nats.jetstream.')) return true;
  return typeof stream === 'string' && typeof seq === 'number';
}

/** Whether what came is JSON that JetStream wrote. */
export function holdsJetStreamAnswer(data: Uint8Array): boolean {
  try {
    return isJetStreamAnswer(
      JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8')),
    );
  } catch {
    return false;
  }
}
