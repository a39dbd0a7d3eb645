/** What a refusal says to clients: its status, its code, and the field it is about. */
export async function errorOf(reply: Response): Promise<unknown> {
  const { error } = (await reply.json()) as { error: { code: string; param: string | null } };
  return [reply.status, error.code, error.param];
}
