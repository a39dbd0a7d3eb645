import { offlineError } from './api-error';
import { isStaleCode, wordsOf } from './error-words';

describe('what somebody is told of a failure', () => {
  it.each([
    ['Chromium', new TypeError('Failed to fetch dynamically imported module: https://x/assets/a-1.js')],
    ['Firefox', new TypeError('error loading dynamically imported module: https://x/assets/a-1.js')],
    ['Safari', new TypeError('Importing a module script failed.')],
    ['Vite', new Error('Unable to preload CSS for /portal/assets/a-1.css')],
  ])('is that a reload helps when code of a former build is gone, as %s says it', (_, error) => {
    expect(isStaleCode(error)).toBe(true);
    expect(wordsOf(error)).toMatch(/newer version .* Reload/);
  });

  it('is what the marketplace said, and nothing of what others say', () => {
    expect(wordsOf(offlineError(undefined))).toMatch(/cannot be reached/);
    const error = new TypeError('x is not a function');
    expect(isStaleCode(error)).toBe(false);
    expect(wordsOf(error)).toMatch(/^Something went wrong/);
  });
});
