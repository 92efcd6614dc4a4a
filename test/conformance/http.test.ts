// Every case written over the management API: asked over HTTP, and asked of the library that follows the feed.
import { httpDecider } from '../support/http-deciders.ts'
import { runCases } from './runner.ts'

runCases([httpDecider])
