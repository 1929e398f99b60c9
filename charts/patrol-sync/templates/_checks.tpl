{{/* What cannot work, each with one sentence. */}}
{{- define "patrol-sync.check" -}}
{{- include "lib.checkHints" . -}}
{{- include "lib.checkImage" . -}}
{{- include "patrol-sync.checkSite" . -}}
{{- include "patrol-sync.checkVolumes" . -}}
{{- include "patrol-sync.checkFiles" . -}}
{{- include "patrol-sync.checkPod" . -}}
{{- end -}}

{{- define "patrol-sync.checkSite" -}}
{{- if not .Values.site.endpoint -}}
{{- include "lib.fail" (list . "site.endpoint is not set; give the host of the site, like site.example") -}}
{{- end -}}
{{- if not .Values.site.token -}}
{{- include "lib.fail" (list . "site.token is not set; give {name, key} of the Secret that holds the API token of the site") -}}
{{- end -}}
{{- end -}}

{{- define "patrol-sync.checkVolumes" -}}
{{- $bundle := .Values.bundle -}}
{{- if and $bundle.claim.name $bundle.configMap -}}
{{- include "lib.fail" (list . "bundle.claim.name and bundle.configMap are both set; the bundle is in one of them") -}}
{{- end -}}
{{- if not (or $bundle.claim.name $bundle.configMap) -}}
{{- include "lib.fail" (list . "it is not said where the bundle is; set bundle.claim.name, or bundle.configMap for one of at most 1 MiB") -}}
{{- end -}}
{{- if and $bundle.claim.path (not $bundle.claim.name) -}}
{{- include "lib.fail" (list . "bundle.claim.path is set, but bundle.claim.name is not") -}}
{{- end -}}
{{- $claim := .Values.output.claim -}}
{{- if not (or $claim.create $claim.name) -}}
{{- include "lib.fail" (list . "output.claim.create is false, but output.claim.name does not say which claim is used") -}}
{{- end -}}
{{- if and $claim.create (eq (include "patrol-sync.outputClaim" .) $bundle.claim.name) -}}
{{- include "lib.fail" (list . (printf "%s is the claim of the bundle, and the one to make for checklists and records; set output.claim.create to false" $bundle.claim.name)) -}}
{{- end -}}
{{- end -}}

{{/* The plan, the checklist and that of a plan lie side by side: of two with one name only the last would be left. */}}
{{- define "patrol-sync.checkFiles" -}}
{{- $output := .Values.output -}}
{{- if eq $output.plan $output.checklist -}}
{{- include "lib.fail" (list . (printf "output.plan and output.checklist are both %s; give each a name of its own" $output.plan)) -}}
{{- end -}}
{{- $paths := include "patrol-sync.paths" (list . (dict "suffix" "-plan")) | fromJson -}}
{{- if eq $paths.plan $paths.checklist -}}
{{- include "lib.fail" (list . (printf "output.plan is %s, which is the checklist of a plan (output.checklist is %s); give each a name of its own" $output.plan $output.checklist)) -}}
{{- end -}}
{{- end -}}

{{- define "patrol-sync.checkPod" -}}
{{- $longest := 0 -}}
{{- range .facts.commands -}}{{- $longest = max $longest (len .suffix) -}}{{- end -}}
{{- $name := include "lib.fullname" . -}}
{{- if gt (add (len $name) $longest) 52 -}}
{{- include "lib.fail" (list . (printf "%s is too long for the names of CronJobs; set fullnameOverride to one of at most %d characters" $name (sub 52 $longest))) -}}
{{- end -}}
{{- include "lib.checkResources" (list . "resources" .Values.resources) -}}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name) -}}
{{- include "lib.fail" (list . "serviceAccount.create is false, but serviceAccount.name does not say which account is used") -}}
{{- end -}}
{{- if and .Values.prometheusRule.enabled (not (.Files.Glob "files/alerts.yaml")) -}}
{{- include "lib.fail" (list . "prometheusRule.enabled is true, but this chart has none (files/alerts.yaml)") -}}
{{- end -}}
{{- end -}}
