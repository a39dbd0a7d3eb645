import { buildConnector } from 'undici';
import { letHangUpWhilePaused } from './paused-socket';

/** undici's connector, whose connections a server may end at any time: also while nothing is read of its reply. */
export function steadyConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) letHangUpWhilePaused(socket);
      callback(...result);
    });
  };
}
