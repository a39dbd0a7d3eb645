/**
 * Lines on the terminal: one for each step when it is done, with its time, and now and then one for a step that takes
 * long.
 */

const stillWorkingMs = 10_000;
const titleWidth = 34;

function seconds(startedAt) {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s`;
}

export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Does the work and says how it went. What the work throws is thrown on.
 * @param signal work that fails once this is aborted did not fail by itself
 */
export async function step(title, work, signal) {
  const startedAt = performance.now();
  const line = (mark, note = '') => say(`  ${mark} ${title.padEnd(titleWidth)} ${seconds(startedAt)}${note}`);
  const reminder = setInterval(() => line('…'), stillWorkingMs);
  try {
    const result = await work();
    line('✓');
    return result;
  } catch (error) {
    line(signal?.aborted ? '-' : '✗');
    throw error;
  } finally {
    clearInterval(reminder);
  }
}

export const progress = { step, say };
