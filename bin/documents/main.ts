import { writeSettings } from './settings.ts'

writeSettings()
