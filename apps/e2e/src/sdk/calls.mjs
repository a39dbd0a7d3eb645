// What the programs beside this one share: whom they ask, and how they tell what came of it.

const { SVC_BASE_URL, SVC_API_KEY, SVC_MODEL = 'svc/demo-small@1', SVC_POOR_KEY } = process.env;

export const baseURL = SVC_BASE_URL;
export const apiKey = SVC_API_KEY;
export const model = SVC_MODEL;
/** Of an account without money. */
export const poorKey = SVC_POOR_KEY;

/** Makes each call, and writes what came of it: one line of JSON each. */
export async function calls(named) {
  for (const [name, call] of Object.entries(named)) {
    let error = null;
    try {
      await call();
    } catch (thrown) {
      error = String(thrown?.stack ?? thrown);
    }
    process.stdout.write(`${JSON.stringify({ name, error })}\n`);
  }
}
