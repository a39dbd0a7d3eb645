const utcDay = () => new Date().toISOString().slice(0, 10);

/**
 * Takes the steps of a test, and once more if they failed and midnight (UTC) fell into them, when budgets by the day, week and month
 * start anew.
 * @param steps with keys of their own: the second time must not find what the first has spent
 */
export async function withinOneDay(steps: () => Promise<void>): Promise<void> {
  const day = utcDay();
  try {
    await steps();
  } catch (error) {
    if (utcDay() === day) throw error;
    await steps();
  }
}
