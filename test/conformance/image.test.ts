// Every case over the definition, and over every way of an image alone, by what doors do not say: the reasons of an
// answer, and the limits of one check.
import { makeDeciders, reference } from '../support/deciders.ts'
import { IMAGE_WAYS } from '../support/ways.ts'
import { runCases } from './runner.ts'

runCases([reference, ...makeDeciders(IMAGE_WAYS)])
