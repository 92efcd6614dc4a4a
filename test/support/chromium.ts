// The Chromium that tests of pages drive: the one of the distribution, which .ci/prepare installs.
import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of a Chromium. Without one it is undefined, this is printed, and the tests that need it are skipped. */
export const CHROMIUM = PLACES.find((path) => existsSync(path))
if (CHROMIUM === undefined) process.stdout.write(`skipped: no Chromium at ${PLACES.join(', ')}\n`)
