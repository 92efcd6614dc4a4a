// The Chromium that tests of pages drive: the one of the distribution, which .ci/prepare installs. The headless shell
// draws the same pages for a fifth less processor time than the whole browser.
import { existsSync } from 'node:fs'

const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** The path of a Chromium. Without one it is undefined, this is printed, and the tests that need it are skipped. */
export const CHROMIUM = PLACES.find((path) => existsSync(path))
if (CHROMIUM === undefined) process.stdout.write(`skipped: no Chromium at ${PLACES.join(', ')}\n`)
