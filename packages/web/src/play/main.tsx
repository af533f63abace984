import { loadConsoleTexts } from "../texts/console/load.ts"
import { showApp } from "../ui/show-app.tsx"
import { PlayApp } from "./play-app.tsx"
import "./play.css"

void showApp(<PlayApp />, loadConsoleTexts)
