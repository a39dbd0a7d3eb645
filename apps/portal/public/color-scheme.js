/* global document, localStorage, matchMedia */
// Before the first paint, so that a dark page does not flash white; a file of its own because the page allows no inline script.
(function () {
  var wanted = 'auto';
  try {
    wanted = localStorage.getItem('svc-color-scheme') || 'auto';
  } catch {
    // Storage may be forbidden; the system's scheme it is then.
  }
  var dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
