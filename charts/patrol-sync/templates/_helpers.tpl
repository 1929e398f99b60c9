{{- define "patrol-sync.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "ranger-relay.fullname" .) -}}
{{- end -}}

{{/* Claim of the volume of checklists, plans and run records. */}}
{{- define "patrol-sync.outputClaim" -}}
{{- .Values.output.claim.name | default (printf "%s-output" (include "ranger-relay.fullname" .)) -}}
{{- end -}}

{{/* Port of the site, from its address. */}}
{{- define "patrol-sync.sitePort" -}}
{{- $host := regexReplaceAll "^https?://" .Values.site.endpoint "" | splitList "/" | first -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (ternary "80" "443" (hasPrefix "http://" .Values.site.endpoint)) -}}
{{- end -}}
