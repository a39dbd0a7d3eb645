// Loaded into a service that the bench measures: collects garbage when told to, so that what is left is what is kept.
import process from 'node:process';

process.on('SIGUSR2', () => globalThis.gc?.());
