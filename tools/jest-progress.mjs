import { writeFileSync } from 'node:fs';

/**
 * A reporter for jest that keeps in a file (`JEST_PROGRESS_FILE`) which spec files are under way. Whoever waits for jest sees there whether
 * it gets on, and with what, even while jest's own process is busy for ever.
 */
export default class JestProgress {
  #underWay = new Set();

  onTestFileStart({ path }) {
    this.#underWay.add(path);
    this.#note();
  }

  onTestFileResult({ path }) {
    this.#underWay.delete(path);
    this.#note();
  }

  #note() {
    writeFileSync(process.env.JEST_PROGRESS_FILE, [...this.#underWay].join('\n'));
  }
}
