// Every case over the definition, and over the ways of an image alone, by what doors do not say: the reasons of an answer,
// and the limits of one check; in a normal run over half of these ways, in turn.
import { makeDeciders, reference } from '../support/deciders.ts'
import { IMAGE_WAYS } from '../support/ways.ts'
import { runCases } from './runner.ts'

runCases([reference])
runCases(makeDeciders(IMAGE_WAYS), { turns: 2 })
