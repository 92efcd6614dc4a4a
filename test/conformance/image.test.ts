// Every case over the definition and over every way in which an image comes about.
import { imageDeciders, reference } from '../support/deciders.ts'
import { runCases } from './runner.ts'

runCases([reference, ...imageDeciders])
