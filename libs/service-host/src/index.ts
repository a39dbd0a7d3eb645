export { configOrExit } from './config-or-exit';
export { closePromptly } from './connection-drain';
export { listenService } from './listen-service';
export type { ListeningService, ServiceParts } from './listen-service';
export { PeriodicJob } from './periodic-job';
export { startService } from './start-service';
export { stopOnSignals } from './stop-on-signals';
