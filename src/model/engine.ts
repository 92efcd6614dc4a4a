// The version of what decides. Records of decisions name it, so that a replay knows whether it decides by the same
// rules: the first number rises with every change that can change a decision (a star in CHANGELOG.md), the second is
// the layout of images.
import { ABI_VERSION } from '../../assembly/limits.ts'

const SEMANTICS_VERSION = 1

export const ENGINE = `${SEMANTICS_VERSION}.${ABI_VERSION}`

/** Whether decisions of an engine mean the same as those of this one. */
export const decidesAlike = (engine: string): boolean => engine.split('.', 1)[0] === String(SEMANTICS_VERSION)
