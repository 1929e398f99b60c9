{{/* Everything of one service, unless the chart above renders it itself: only that one can leave it out by a value of its own. */}}
{{- define "lib.service" -}}
{{- if not (dig "renderedAbove" false (.Values.global | default dict)) -}}
{{ include "lib.objects" . }}
{{- end -}}
{{- end -}}

{{- define "lib.objects" -}}
{{- include "lib.prepare" . -}}
{{- include "lib.checkHints" . -}}
{{- include "lib.checkRequired" . -}}
{{- include "lib.collect" . -}}
{{- include "lib.check" . -}}
{{- $kinds := list "lib.deployment" "lib.metricsService" -}}
{{- if .Values.serviceAccount.create -}}{{- $kinds = append $kinds "lib.serviceAccount" -}}{{- end -}}
{{- if .facts.serves -}}
{{- $kinds = append $kinds "lib.requestService" -}}
{{- if .Values.ingress.enabled -}}{{- $kinds = append $kinds "lib.ingress" -}}{{- end -}}
{{- if .Values.httpRoute.enabled -}}{{- $kinds = append $kinds "lib.httpRoute" -}}{{- end -}}
{{- end -}}
{{- if .Values.networkPolicy.enabled -}}{{- $kinds = append $kinds "lib.networkPolicy" -}}{{- end -}}
{{- if .Values.podDisruptionBudget.enabled -}}{{- $kinds = append $kinds "lib.disruptionBudget" -}}{{- end -}}
{{- if .Values.autoscaling.enabled -}}{{- $kinds = append $kinds "lib.autoscaler" -}}{{- end -}}
{{- if .Values.keda.enabled -}}
{{- $kinds = append $kinds "lib.scaledObject" -}}
{{- if include "lib.triggerSecrets" . -}}{{- $kinds = append $kinds "lib.triggerAuthentication" -}}{{- end -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}{{- $kinds = append $kinds "lib.serviceMonitor" -}}{{- end -}}
{{- if .Values.prometheusRule.enabled -}}{{- $kinds = append $kinds "lib.prometheusRule" -}}{{- end -}}
{{- if .Values.dashboards.enabled -}}{{- $kinds = append $kinds "lib.dashboards" -}}{{- end -}}
{{- range $kinds }}
---
{{ include . $ }}
{{- end }}
{{- if and .Values.networkPolicy.enabled .Chart.IsRoot }}
---
{{ include "lib.defaultDeny" (list . list) }}
{{- end }}
{{- end -}}
