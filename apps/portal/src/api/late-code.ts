import { offlineError } from './api-error';

/**
 * Code that an act needs first. Without a connection it is not asked for: a browser keeps in mind that a module could not be fetched,
 * until the page is loaded anew.
 * @throws ApiError `offline`; what the browser throws where it could not be fetched (`isStaleCode`)
 */
export async function codeNow<T>(load: () => Promise<T>): Promise<T> {
  if (!navigator.onLine) throw offlineError(undefined);
  return load();
}

/** Code that is to be shown, which comes by itself once there is a connection: see `codeNow`. */
export async function codeWhenOnline<T>(load: () => Promise<T>): Promise<T> {
  if (!navigator.onLine) {
    await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
  }
  return load();
}
