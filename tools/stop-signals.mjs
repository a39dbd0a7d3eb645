/**
 * Has a tool told of each signal that asks it to end: Ctrl-C, a plain kill, and the end of its terminal. What nohup started outlives its
 * terminal, so that one is ignored then. Node, and npm with it, takes an ignored SIGHUP back before any script runs; what is left of nohup
 * is its name, which bash and zsh give to the command they start (`_`), unless another of them comes between as npm's `sh`.
 */
export function onStopSignal(listener) {
  const isUnderNohup = /(^|\/)nohup$/.test(process.env._ ?? '');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const isIgnored = signal === 'SIGHUP' && isUnderNohup;
    process.on(signal, isIgnored ? () => undefined : () => listener(signal));
  }
}
