// Loaded into a service that the bench measures: collects garbage when told to, so that what is left is what is kept.
process.on('SIGUSR2', () => globalThis.gc?.());
