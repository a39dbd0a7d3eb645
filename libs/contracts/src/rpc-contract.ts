/** A class whose class-validator rules a request must pass. */
export type RequestClass<T extends object> = new () => T;

/**
 * A unary call between services, declared once and taken by both sides, so that a wrong payload on either does
 * not compile. Subjects are `<context>.v1.<noun>.<verb>`.
 */
export interface RpcContract<Req extends object, Res> {
  readonly subject: string;
  /** The queue group that shares the work: the service's name. */
  readonly queue: string;
  /** The caller's default patience; the deadline travels with the call. */
  readonly timeoutMs: number;
  readonly request: RequestClass<Req>;
  /** Calls of one turn go in one message: for those of which every request needs one, and which take equally long. */
  readonly gathered?: boolean;
  /** Phantom: only the type of the reply. */
  readonly reply?: Res;
}

/** Declares a contract as a value; its types come with it. */
export function defineRpc<Req extends object, Res>(
  contract: Omit<RpcContract<Req, Res>, 'reply'>,
): RpcContract<Req, Res> {
  return contract;
}
