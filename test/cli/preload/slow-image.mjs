// For a server that is started with it (NODE_OPTIONS=--import): every image of an environment comes late, as that of a
// large one does.
import { setTimeout as pause } from 'node:timers/promises'
import { Snapshots } from '../../../dist/src/management/snapshot/snapshot.js'

const { image } = Snapshots.prototype
Snapshots.prototype.image = async function (environment) {
  await pause(Number(process.env.IMAGE_DELAY_MS))
  return image.call(this, environment)
}
