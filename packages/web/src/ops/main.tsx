import { loadConsoleTexts } from "../texts/console/load.ts"
import { showApp } from "../ui/show-app.tsx"
import { OpsApp } from "./ops-app.tsx"

void showApp(<OpsApp />, loadConsoleTexts)
