// Every case written by management, over every way from there to an image, by what doors do not say; in a normal run over
// one of them that is not costly, in turn.
import { afterAll } from 'vitest'
import { closeSource, makeDeciders } from '../support/deciders.ts'
import { IS_WHOLE } from '../support/sample.ts'
import { STORE_WAYS } from '../support/ways.ts'
import { runCases } from './runner.ts'

afterAll(closeSource)

const deciders = makeDeciders(STORE_WAYS.filter(({ isCostly }) => IS_WHOLE || !isCostly))
runCases(deciders, { turns: deciders.length })
