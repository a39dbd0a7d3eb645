/** A wallet as EIP-1193 describes it. */
export interface Eip1193Provider {
  request(call: { method: string; params?: readonly unknown[] | object }): Promise<unknown>;
  on?(event: string, listener: (...values: never[]) => void): unknown;
  removeListener?(event: string, listener: (...values: never[]) => void): unknown;
}
